/**
 * Headers of responses with files.
 */

/** A file that a browser opens runs nothing, loads nothing else and has no origin. Videos and pictures show themselves. */
export const policy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox";

/** Content-Disposition with the name of a file. (RFC 6266) */
export function dispositionWith(type: 'attachment' | 'inline', name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
