// What a person's message brings with it: files, folders and what the editor knows, named in its text by `@`.
import * as z from "zod";

/** What `@` can name beside files and folders. */
export const ownContexts = ["problems", "changes", "terminal"] as const;
export type OwnContext = (typeof ownContexts)[number];

const AttachmentKind = z.enum(["file", "folder", "commit", "page", ...ownContexts]);

export const Attachment = z.object({
  kind: AttachmentKind,
  /** As the message names it, without `@`: `src/cart.js:12-30`. */
  label: z.string(),
  /** What the model reads, as it was when the message was sent. */
  text: z.string(),
});
export type Attachment = z.infer<typeof Attachment>;

/** An attachment as it is shown; an image that a person gave has a small picture of itself, as a `data:` URL. */
export const AttachedInfo = z.object({
  kind: z.enum([...AttachmentKind.options, "image"]),
  label: z.string(),
  thumbnail: z.string().exactOptional(),
});
export type AttachedInfo = z.infer<typeof AttachedInfo>;

/** Characters that the attachments of one message may have together. */
export const mostAttached = 120_000;
