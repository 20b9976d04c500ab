/**
 * Git, as a release uses it: what must hold before it writes anything, and its commit and tag.
 */
import { execFileSync } from 'node:child_process';

/** @throws Error with the message of Git */
export function git(root: string, ...parameters: string[]): string {
  return run(root, parameters);
}

function run(root: string, parameters: string[], input?: string): string {
  const stdio: ('pipe' | 'ignore')[] = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  try {
    return execFileSync('git', parameters, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, input, stdio });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`git ${parameters[0]}: ${stderr?.trim() || message}`);
  }
}

export const tagOf = (version: string) => `v${version}`;

/**
 * @throws Error if the tag exists, if there are changes that are not committed, which the commit of the release would
 *   not have, or if Git does not know who commits
 */
export function requireReleasable(root: string, version: string): void {
  const tag = tagOf(version);
  if (git(root, 'tag', '--list', tag) !== '') throw new Error(`the tag ${tag} exists already`);
  const uncommitted = git(root, 'status', '--porcelain').trimEnd();
  if (uncommitted !== '') throw new Error(`commit first what is not committed:\n${uncommitted}`);
  git(root, 'var', 'GIT_COMMITTER_IDENT');
}

/** Commits these files, written or removed, and tags the commit with the section of CHANGELOG.md as its message. */
export function commitRelease(root: string, version: string, files: readonly string[], section: string): void {
  const reason = 'Versions of the packages that changed, and what changed for whom since the release before.';
  git(root, 'commit', '--quiet', '--message', `Release ${version}`, '--message', reason, '--', ...files);
  // Headings begin with #, which Git takes for its own comments otherwise.
  run(root, ['tag', '--annotate', '--cleanup=whitespace', '--file=-', tagOf(version)], section);
}
