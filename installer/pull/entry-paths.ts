/**
 * The paths of a tarball's entries. Each names one place in the package's folder, and no two name the same place on any
 * file system: neither by case nor by the form of Unicode, in which some file systems see no difference.
 */

/** The stamp that the installer writes into each package (release/stamp.ts). */
const reserved = '.installed.json';
const maxSegmentBytes = 255; // NAME_MAX of Linux
const maxPathBytes = 1024;

/**
 * Creates the check of one tarball's entries.
 * @returns a function that takes the paths in turn, as tar has them, and returns what is wrong with one, if anything is
 */
export function createPathCheck(): (path: string, isFolder: boolean) => string | undefined {
  /** By the key of each path below the first segment: its spelling, and whether it is a folder. */
  const seen = new Map([[keyOf(reserved), { spelling: '', isFolder: false }]]);

  const place = (spelling: string, isFolder: boolean, isParent: boolean): string | undefined => {
    const key = keyOf(spelling);
    const other = seen.get(key);
    if (!other) {
      seen.set(key, { spelling, isFolder });
      return undefined;
    }
    // A folder may come twice, as an entry and as the parent of others.
    if (other.spelling === spelling && other.isFolder && isFolder) return undefined;
    if (other.spelling === '') return 'a name that the installer uses';
    return isParent ? 'whose folder is another entry' : 'a name that it contains twice';
  };

  return (path, isFolder) => {
    const segments = path.split('/');
    if (segments.length > 1 && segments.at(-1) === '') segments.pop(); // a folder's path ends with a slash
    if (path.startsWith('/') || path.includes('\\') || segments.includes('..')) return 'which is outside its folder';
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
    if (/[\u0000-\u001f\u007f]/.test(path) || segments.includes('') || segments.includes('.')) {
      return 'which is no usual path';
    }
    if (Buffer.byteLength(path) > maxPathBytes || segments.some((name) => Buffer.byteLength(name) > maxSegmentBytes)) {
      return 'which is too long';
    }
    const names = segments.slice(1);
    for (let depth = 1; depth <= names.length; depth += 1) {
      const isParent = depth < names.length;
      const fault = place(names.slice(0, depth).join('/'), isFolder || isParent, isParent);
      if (fault) return fault;
    }
    return undefined;
  };
}

function keyOf(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
