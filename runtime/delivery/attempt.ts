/**
 * What is kept of an attempt, for those who look why something did not arrive.
 */

/** What became of a request. */
export interface Sent {
  /** Null without a response. */
  status: number | null;
  error: string | null;
  /** What was read of the response's body; null without a response. */
  body: string | null;
  /** Seconds for which the destination asks not to be called; 0 if it does not. */
  retryAfter: number;
  milliseconds: number;
}

/** What is kept of it. */
export interface Attempt {
  /** Null without a response. */
  status: number | null;
  error: string | null;
  /** The beginning of the response's body. */
  responseStart: string | null;
  milliseconds: number;
}

/** The longest stored error, in characters. */
const mostOfError = 1_000;
/** How much of a response is kept, in characters. */
const mostOfResponse = 256;

/** What is kept of a request: nothing of what was sent, since it may have secrets. */
export function attemptOf({ status, error, body, milliseconds }: Sent): Attempt {
  return {
    status,
    error: error === null ? null : shortened(error, mostOfError),
    responseStart: body === null ? null : shortened(body, mostOfResponse),
    milliseconds,
  };
}

/** The message of an error, as it is stored. */
export function errorText(error: unknown): string {
  return shortened(error instanceof Error ? error.message : String(error), mostOfError);
}

/** The beginning of a text, without the control characters that neither logs nor the database accept. */
export function shortened(text: string, characters: number): string {
  return text
    .slice(0, characters * 4)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, characters)
    .toWellFormed();
}
