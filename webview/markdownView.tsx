// A text of the model: as it was written until the renderer is here, then as markdown.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useTools } from "./context.ts";
import { useLazy } from "./lazy.ts";

interface Props {
  readonly text: string;
  /** Nothing more will be added. */
  readonly settled: boolean;
}

/** A growing text that is slow to draw is drawn less often: after each drawing it rests so many times as long. */
const restRatio = 4;

export function Markdown({ text, settled }: Props) {
  const { markdown } = useTools();
  const box = useRef<HTMLDivElement>(null);
  const renderer = useLazy(markdown);
  const notBefore = useRef(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const draw = (): void => {
      const began = performance.now();
      if (renderer) renderer.draw(element, text, settled);
      else element.textContent = text;
      const ended = performance.now();
      notBefore.current = ended + (ended - began) * restRatio;
    };
    const wait = settled ? 0 : notBefore.current - performance.now();
    if (wait > 0) {
      const timer = setTimeout(draw, wait);
      return () => clearTimeout(timer);
    }
    draw();
    return undefined;
  }, [renderer, text, settled]);
  return <div ref={box} class={renderer ? "markdown" : "markdown plain"} />;
}
