/**
 * Sanitises rich texts as they are written, so that what is stored is cheap to sanitise again when it is read. Long ones are
 * sanitised in a compute process.
 */
import type { HasExtensions } from '../extension/extension.ts';
import { invalidField } from '../http/problems.ts';
import { hasTags, isTooLong, maxDescription } from '../http/rich-text.ts';
import { type ComputeCaller, type ComputeTask, compute } from './compute.ts';

const task: ComputeTask<string, string> = {
  name: 'Sanitising the text',
  module: import.meta.resolve('@carton/runtime/sanitize'),
  milliseconds: 2_000,
};

/** Characters that take a few milliseconds at most, whatever they are, so that they are sanitised here. */
const short = 8_000;

async function sanitize(db: ComputeCaller & HasExtensions, html: string): Promise<string> {
  if (!hasTags(html)) return html;
  if (html.length > short) return compute(db, task, html);
  // Loaded with the first text that is written: loading it takes longer than the rest of a package.
  const { default: sanitizeHtml } = await import('../http/html-sanitizer.ts');
  return sanitizeHtml(html);
}

/**
 * A field with a rich text, sanitised.
 * @param maxLength that of its schema (`newRichText`)
 * @throws invalid_request (400), too_costly (422)
 */
export async function sanitizeRichText(
  db: ComputeCaller & HasExtensions,
  html: string,
  { pointer, maxLength }: { pointer: string; maxLength: number },
): Promise<string> {
  const safe = await sanitize(db, html);
  if (isTooLong(html, safe, maxLength)) throw invalidField(pointer, `must not have more than ${maxLength} characters`);
  return safe;
}

/** A body with its description sanitised, if it has one. @throws invalid_request (400), too_costly (422) */
export async function withSanitizedDescription<Body extends { description?: string | undefined }>(
  db: ComputeCaller & HasExtensions,
  body: Body,
): Promise<Body> {
  if (body.description === undefined) return body;
  const limits = { pointer: '/description', maxLength: maxDescription };
  return { ...body, description: await sanitizeRichText(db, body.description, limits) };
}
