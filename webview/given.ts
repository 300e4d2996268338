// Images and PDFs that a person pastes or drops: read, judged, and given with the message; other files by their names.
import type { SentPart } from "../src/protocol/wire.ts";
import { fileTypes, imageTypes, mostPartBytes, mostParts, mostThumbnail } from "../src/protocol/viewParts.ts";
import type { Store } from "./store.ts";
import { t } from "./l10n.ts";

/** How VS Code and others name what is dragged. */
const uriLists = ["application/vnd.code.uri-list", "text/uri-list"];

export function carriesFiles({ dataTransfer }: DragEvent): boolean {
  return [...uriLists, "Files"].some((type) => dataTransfer?.types.includes(type));
}

export function drop(event: DragEvent, store: Store): void {
  const lists = uriLists.map((type) => event.dataTransfer?.getData(type) ?? "");
  const list = lists.find((text) => text !== "");
  const files = [...(event.dataTransfer?.files ?? [])];
  const isShown = files.some((file) => kindOf(file) !== null);
  if (list === undefined && files.length === 0) return;
  event.preventDefault();
  if (isShown || list === undefined) void give(files, store);
  else
    store.post({
      type: "files:drop",
      uris: list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#")),
    });
}

/** Text that comes with a picture of itself stays text. */
export function paste(event: ClipboardEvent, store: Store): void {
  const { clipboardData } = event;
  const files = [...(clipboardData?.files ?? [])];
  if (files.length === 0 || clipboardData?.types.includes("text/plain")) return;
  event.preventDefault();
  void give(files, store);
}

/** Reads the files; each that cannot go along is told of in a sentence. */
async function give(files: readonly File[], store: Store): Promise<void> {
  const read = await Promise.all(files.map(readPart));
  const { parts } = store.state().ui;
  const fresh = read.filter((part) => typeof part !== "string");
  const room = Math.max(0, mostParts - parts.length);
  const problems = read.filter((part) => typeof part === "string");
  if (fresh.length > room)
    problems.push(t("A message takes {0} images and PDFs; the others were left out.", mostParts));
  store.setUi({ parts: [...parts, ...fresh.slice(0, room)], partsProblem: problems.join(" ") });
}

/** The part, or why it cannot be one. */
async function readPart(file: File): Promise<SentPart | string> {
  const kind = kindOf(file);
  const name = (file.name === "" ? t("image") : file.name).slice(-200);
  if (!kind) return t("“{0}” cannot be given: PNG, JPEG, GIF and WebP images and PDFs can.", name);
  if (file.size > mostPartBytes) return t("“{0}” is too large: {1} MB at most.", name, mostPartBytes / 1_000_000);
  try {
    const value = await base64Of(file);
    if (kind.kind === "file") return { ...kind, value, name };
    const thumbnail = await thumbnailOf(file);
    return { ...kind, value, name, ...(thumbnail.length <= mostThumbnail && { thumbnail }) };
  } catch {
    return t("“{0}” could not be read.", name);
  }
}

type Kind = { [K in SentPart["kind"]]: Pick<Extract<SentPart, { kind: K }>, "kind" | "mediaType"> }[SentPart["kind"]];

function kindOf({ type }: File): Kind | null {
  const image = imageTypes.find((known) => known === type);
  if (image) return { kind: "image", mediaType: image };
  const file = fileTypes.find((known) => known === type);
  return file ? { kind: "file", mediaType: file } : null;
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const { result } = reader;
      resolve(typeof result === "string" ? result.slice(result.indexOf(",") + 1) : "");
    });
    reader.addEventListener("error", () => reject(new Error("The file could not be read.")));
    reader.readAsDataURL(file);
  });
}

/** Pixels of a thumbnail, twice as many as it is high and wide on the screen. */
const largest = { width: 320, height: 160 };

async function thumbnailOf(file: File): Promise<string> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, largest.width / picture.width, largest.height / picture.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.toDataURL("image/webp", 0.8);
}
