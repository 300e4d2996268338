// A text of the model: as it was written until the renderer is here, then as markdown.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useTools } from "./context.ts";
import { useLazy } from "./lazy.ts";

interface Props {
  readonly text: string;
  /** Nothing more will be added. */
  readonly settled: boolean;
}

export function Markdown({ text, settled }: Props) {
  const { markdown } = useTools();
  const box = useRef<HTMLDivElement>(null);
  const renderer = useLazy(markdown);
  useLayoutEffect(() => {
    if (!box.current) return;
    if (renderer) renderer.draw(box.current, text, settled);
    else box.current.textContent = text;
  }, [renderer, text, settled]);
  return <div ref={box} class={renderer ? "markdown" : "markdown plain"} />;
}
