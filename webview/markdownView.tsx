// A text of the model as markdown.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useTools } from "./context.ts";

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
  const notBefore = useRef(0);
  useLayoutEffect(() => {
    const element = box.current;
    return () => element && markdown.forget(element);
  }, [markdown]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let next: number | undefined;
    const draw = (): void => {
      const began = performance.now();
      const whole = markdown.draw(element, text, settled);
      const ended = performance.now();
      notBefore.current = ended + (ended - began) * restRatio;
      if (!whole) next = requestAnimationFrame(draw);
    };
    const wait = settled ? 0 : notBefore.current - performance.now();
    const timer = wait > 0 ? setTimeout(draw, wait) : undefined;
    if (timer === undefined) draw();
    return () => {
      clearTimeout(timer);
      if (next !== undefined) cancelAnimationFrame(next);
    };
  }, [markdown, text, settled]);
  return <div ref={box} class="markdown" />;
}
