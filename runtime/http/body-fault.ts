/**
 * What is wrong with a body, whatever its schema.
 */
export interface BodyFault {
  /** The names that lead to it. */
  path: string[];
  detail: string;
}
