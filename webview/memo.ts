// Draws a component again only when one of its props is another.
import { h } from "preact";
import type { Component, FunctionComponent } from "preact";

/** The same component, skipped while all its props are identical. */
export function memo<P extends object>(draw: FunctionComponent<P>): FunctionComponent<P> {
  return function Memo(this: Component<P>, props: P) {
    this.shouldComponentUpdate = (next: Readonly<P>) => differ(this.props, next);
    return h(draw, props);
  };
}

function differ(before: object, next: object): boolean {
  const old = new Map<string, unknown>(Object.entries(before));
  const entries = Object.entries(next);
  return entries.length !== old.size || entries.some(([key, value]) => value !== old.get(key));
}
