/**
 * Sanitises rich texts as they are written, so that what is stored is cheap to sanitise again when it is read. Long ones are
 * sanitised in a compute process.
 */
import type { HasExtensions } from '../extension/extension.ts';
import { hasTags } from '../http/rich-text.ts';
import { type ComputeCaller, type ComputeTask, compute } from './compute.ts';

const task: ComputeTask<string, string> = {
  name: 'Sanitising the text',
  module: import.meta.resolve('@carton/runtime/sanitize'),
  milliseconds: 2_000,
};

/** Characters that take a few milliseconds at most, whatever they are, so that they are sanitised here. */
const short = 8_000;

/** @throws too_costly (422) */
export async function sanitizeRichText(db: ComputeCaller & HasExtensions, html: string): Promise<string> {
  if (!hasTags(html)) return html;
  if (html.length > short) return compute(db, task, html);
  // Loaded with the first text that is written: loading it takes longer than the rest of a package.
  const { default: sanitizeHtml } = await import('../http/html-sanitizer.ts');
  return sanitizeHtml(html);
}

/** A body with its description sanitised, if it has one. @throws too_costly (422) */
export async function withSanitizedDescription<Body extends { description?: string | undefined }>(
  db: ComputeCaller & HasExtensions,
  body: Body,
): Promise<Body> {
  if (body.description === undefined) return body;
  return { ...body, description: await sanitizeRichText(db, body.description) };
}
