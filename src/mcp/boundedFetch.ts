// The fetch for servers at an address: follows no redirect, and reads no answer that is too large.

/** Bytes of one message: more is nothing that a model could read. */
export const mostBytes = 10_000_000;

/** Headers of a person are for one address: what would lead to another is not followed. */
export function boundedFetch(send: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, { ...init, redirect: "manual" });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const there = URL.parse(response.headers.get("location") ?? "", response.url)?.origin ?? "another address";
      throw new Error(`it sends requests on to ${there}: if that is right, set that address`);
    }
    if (!response.body) return response;
    const stream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    return new Response(response.body.pipeThrough(bounded(stream)), response);
  };
}

/** @param stream of events: each is counted by itself */
function bounded(stream: boolean): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(bytes, controller) {
      size += bytes.length;
      if (size > mostBytes) controller.error(new Error("it sent more than 10 MB at once"));
      else controller.enqueue(bytes);
      const end = stream ? Math.max(lastOf("\n\n", bytes), lastOf("\r\n\r\n", bytes)) : -1;
      if (end !== -1) size = bytes.length - end;
    },
  });
}

function lastOf(text: string, bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).lastIndexOf(text);
}
