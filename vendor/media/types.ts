/**
 * The types of files that are accepted, told from their bytes. The name and the declared type of an upload are claims of
 * its sender and are ignored.
 */
import { open } from 'node:fs/promises';
import { unsupportedFileType } from '@carton/runtime';
import type { FileTypeResult } from 'file-type';

export const kinds = ['picture', 'video', 'document'] as const;
export type Kind = (typeof kinds)[number];

interface FileType {
  kind: Kind;
  extension: string;
}

const types = {
  'image/jpeg': { kind: 'picture', extension: 'jpg' },
  'image/png': { kind: 'picture', extension: 'png' },
  'image/webp': { kind: 'picture', extension: 'webp' },
  'image/gif': { kind: 'picture', extension: 'gif' },
  'image/avif': { kind: 'picture', extension: 'avif' },
  'video/mp4': { kind: 'video', extension: 'mp4' },
  'video/quicktime': { kind: 'video', extension: 'mov' },
  'video/webm': { kind: 'video', extension: 'webm' },
  'application/pdf': { kind: 'document', extension: 'pdf' },
} as const satisfies Record<string, FileType>;

export type MediaType = keyof typeof types;
export const mediaTypes = Object.keys(types) as [MediaType, ...MediaType[]];

export function kindOf(type: MediaType): Kind {
  return types[type].kind;
}

export function extensionOf(type: MediaType): string {
  return types[type].extension;
}

const accepted = 'Accepted are JPEG, PNG, WebP, GIF and AVIF pictures, MP4, MOV and WebM videos, and PDF documents.';

/**
 * Tells the type of a file from its bytes.
 * @throws unsupported_file_type (415)
 */
export async function detectType(path: string): Promise<MediaType> {
  const found = await readType(path);
  if (found && Object.hasOwn(types, found.mime)) return found.mime as MediaType;
  if (await looksLikeSvg(path)) {
    throw unsupportedFileType(`The file is an SVG document, which can contain scripts. ${accepted}`);
  }
  throw unsupportedFileType(
    found ? `The content of the file is ${found.mime}. ${accepted}` : `The content of the file is unknown. ${accepted}`,
  );
}

/** As `fileTypeFromFile` of file-type, which imports its reader in a way that cannot be bundled. */
async function readType(path: string): Promise<FileTypeResult | undefined> {
  const [{ fileTypeFromTokenizer }, { fromFile }] = await Promise.all([import('file-type'), import('strtok3')]);
  const tokenizer = await fromFile(path);
  try {
    return await fileTypeFromTokenizer(tokenizer);
  } finally {
    await tokenizer.close();
  }
}

/** For a clearer message only: a file that is no accepted type is rejected whatever it is. */
async function looksLikeSvg(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return /<svg[\s>]/i.test(buffer.toString('latin1', 0, bytesRead).replaceAll('\0', ''));
  } finally {
    await file.close();
  }
}
