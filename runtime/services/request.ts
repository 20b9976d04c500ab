/**
 * One HTTP request to a service, and the validation of its answer.
 */
import type { Static, TSchema } from '../http/schemas.ts';
import { faults } from '../http/validation.ts';
import { ServiceError } from './errors.ts';
import { storableText } from './texts.ts';

export interface ServiceRequest<Answer extends TSchema> {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  /** Of the answer's JSON. Properties that it does not declare are allowed. */
  answer: Answer;
  /** Whether a status from 400 to 499 refuses this request, besides 400, 404 and 422. */
  isRefusal?: (status: number) => boolean;
}

/** Bytes: an answer that is longer is not read. */
const maxAnswer = 4 * 1024 * 1024;

const refusals = [400, 404, 422];
const rejections = [401, 403];

/**
 * Sends a request and returns the answer, whose texts can be stored.
 * @throws ServiceError: `refused` for a status that refuses the request, `rejected` for 401 and 403, `unavailable` for
 *   any other status but 2xx and for a lost connection, `invalid` for an answer that does not match the schema
 */
export async function requestJson<Answer extends TSchema>(
  { method, url, headers, body, answer, isRefusal }: ServiceRequest<Answer>,
  signal: AbortSignal,
): Promise<Static<Answer>> {
  const response = await send(url, { method, headers, body, signal, redirect: 'error' });
  const { status } = response;
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    const message = `it responded with ${status}`;
    if (refusals.includes(status) || isRefusal?.(status)) throw new ServiceError('refused', message);
    throw new ServiceError(rejections.includes(status) ? 'rejected' : 'unavailable', message);
  }
  const value = parse(await readText(response));
  const wrong = faults(answer, value);
  if (wrong) throw new ServiceError('invalid', `its answer is not valid: ${wrong}`);
  return value as Static<Answer>;
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw lost(error);
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxAnswer) throw new ServiceError('invalid', `its answer has more than ${maxAnswer} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : lost(error);
  }
  return Buffer.concat(chunks).toString();
}

/** The error of a lost connection, without the URL, which may have a secret. */
function lost(error: unknown): ServiceError {
  const { cause } = error as { cause?: { code?: string } };
  return new ServiceError('unavailable', `the connection was lost${cause?.code ? ` (${cause.code})` : ''}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_, value) => (typeof value === 'string' ? storableText(value) : value));
  } catch {
    throw new ServiceError('invalid', 'its answer is not JSON');
  }
}
