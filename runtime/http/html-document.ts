/**
 * HTML responses.
 */

/** `mediaType` of a route whose handler returns an `HtmlDocument`. */
export const htmlMediaType = 'text/html; charset=utf-8';

/** An HTML document with its own content security policy, in place of the one of all responses. */
export class HtmlDocument {
  readonly text: string;
  readonly policy: string;

  constructor(text: string, policy: string) {
    this.text = text;
    this.policy = policy;
  }

  toString(): string {
    return this.text;
  }
}
