/**
 * Requests in the lines of failures. What is too long for a line is complete in a file, to send it again.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestValues } from './client.ts';

/** Longest text and longest request in a line, in characters. */
const maxText = 100;
const maxLine = 3000;

/**
 * A request as JSON; without parts of it, it ends with the path of a file that has all of them.
 * @param name the name of that file, such as that of the operation
 */
export function showRequest(request: RequestValues | undefined, name: string): string {
  const complete = JSON.stringify(request);
  const shown = JSON.stringify(request, (_, value) => shorten(value));
  if (shown === complete && complete.length <= maxLine) return complete;
  const file = join(mkdtempSync(join(tmpdir(), 'carton-contract-')), `${name}.json`);
  writeFileSync(file, `${complete}\n`);
  const line = shown.length > maxLine ? `${shown.slice(0, maxLine)}…` : shown;
  return `${line} (complete in ${file})`;
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string' && value.length > maxText) {
    return `${value.slice(0, maxText)}… (${value.length} characters)`;
  }
  // What a Buffer is as JSON.
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data) && data.length > maxText ? `${data.length} bytes` : value;
}
