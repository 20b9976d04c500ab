/**
 * Going on without output. Lines of a supervisor that cannot be written are lost, as on a full disk or at a terminal that was
 * closed: without the supervisor, nothing would start the box again.
 */

/** From now on no error of standard output or standard error ends this process. */
export function survivesItsOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error').on('error', () => undefined);
  }
}
