// Reads what the writer put into the page: the metadata, and the compressed columns of each run.

import { Facts, PAGE_VERSION } from "./facts";

/** The metadata of the page. */
export function readFacts(): Facts {
  const text = document.getElementById("facts")?.textContent;
  if (!text) throw new Error("The file ends before its metadata: it was cut short. Write the report again.");
  const facts = JSON.parse(text) as Facts;
  if (facts.version !== PAGE_VERSION) throw new Error(`This page has layout ${facts.version}; its script reads ${PAGE_VERSION}.`);
  return facts;
}

/** The columns of a run, of `byteCount` bytes; takes their text out of the page. */
export async function readBytes(run: number, chunkCount: number, byteCount: number): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const element = document.getElementById(`run-${run}-${chunk}`);
    if (!element) throw new Error(`Part ${chunk + 1} of ${chunkCount} of the slices is missing: the file is damaged.`);
    parts.push(fromBase64(element.textContent ?? ""));
    element.remove();
  }
  if (typeof DecompressionStream === "undefined")
    throw new Error("This browser is too old to unpack the slices: it needs Chrome 80, Firefox 113 or Safari 16.4.");
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (bytes.length !== byteCount) throw new Error(`The slices unpack to ${bytes.length} bytes of ${byteCount}: the file is damaged.`);
  return bytes;
}

type Decoder = { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as Decoder).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
