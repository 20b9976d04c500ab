// Reads the body of a request.

import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/**
 * Reads a whole body.
 * @param size the most bytes it may have
 * @throws Refusal 413 for a larger one, 400 for one whose connection is lost
 */
export async function readBody(request: IncomingMessage, size: number, tooLarge: () => Refusal): Promise<Buffer> {
  if (Number(request.headers['content-length']) > size) {
    request.resume();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > size) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, 'body_incomplete', 'The connection was lost before the end of the body');
  }
  return Buffer.concat(chunks);
}

/** Parses JSON; undefined if it is none. */
export function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}
