/**
 * The If-Match of a request, for routes that look at it by themselves.
 */

/** An If-Match, for a handler that holds it against the state of its resource by itself. */
export interface IfMatch {
  /** As it was sent. */
  readonly header: string;
  /**
   * Whether it names the state that the GET of the same path would answer with this.
   * @throws precondition_failed (412) for what is no list of tags
   */
  names(answer: unknown): boolean;
}
