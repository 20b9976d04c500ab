/**
 * The If-Match header, for routes that evaluate it themselves.
 */

/** An If-Match header, for a handler that compares it with the state of its resource. */
export interface IfMatch {
  /** The header as it was sent. */
  readonly header: string;
  /**
   * Whether it matches the representation that the GET of the same path returns for this result.
   * @throws precondition_failed (412) for an invalid list of entity tags
   */
  names(result: unknown): boolean;
}
