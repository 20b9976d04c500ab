/**
 * The layout around HTML parts that are not documents of their own.
 */
import { directionOf } from '@carton/runtime';

/** A part that begins like this is a document. */
const isDocument = /^\s*(<!doctype\s+html|<html)\b/i;

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character] as string);

/**
 * Puts a fragment into a document.
 * @param language of the text, in BCP 47
 */
export function withLayout(html: string, { language, storeName }: { language: string; storeName: string }): string {
  if (isDocument.test(html)) return html;
  return `<!doctype html>
<html lang="${escapeHtml(language)}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#f4f4f5;font-family:sans-serif;line-height:1.5;color:#18181b">
<div style="max-width:600px;margin:0 auto;padding:24px;background:#fff">
<p style="margin:0 0 16px;font-weight:bold"><bdi>${escapeHtml(storeName)}</bdi></p>
${html}
</div>
</body>
</html>
`;
}
