/**
 * Bounds what the uploads of a process hold on disk at once, so that no client fills the disk that it shares with the
 * database. One owner has half of the space at most, so that others can still upload.
 */
import { unavailable } from './problems.ts';

/** What one upload holds. */
export interface HeldSpace {
  /** Counts bytes that have arrived beyond those announced. @throws unavailable (503) */
  grow(bytes: number): void;
  release(): void;
}

export class UploadSpace {
  readonly #most: number;
  #held = 0;
  readonly #heldBy = new Map<string, number>();

  /** @param most bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Takes the space of an upload.
   * @param owner whose uploads share half of the space; null for no such share
   * @param announced bytes; 0 if they are not known
   * @throws unavailable (503) if there is not as much left
   */
  hold(owner: string | null, announced: number): HeldSpace {
    let own = 0;
    let unused = announced;
    const take = (bytes: number) => {
      const ofOwner = owner === null ? 0 : (this.#heldBy.get(owner) ?? 0);
      // A file larger than the share of its owner is received alone.
      const isOverShare = ofOwner > own && ofOwner + bytes > this.#most / 2;
      if (isOverShare || this.#held + bytes > this.#most) {
        throw unavailable('Too many files are being uploaded.', { headers: { 'Retry-After': '10' } });
      }
      if (owner !== null) this.#heldBy.set(owner, ofOwner + bytes);
      this.#held += bytes;
      own += bytes;
    };
    take(announced);
    return {
      grow(bytes) {
        const beyond = Math.max(0, bytes - unused);
        unused -= bytes - beyond;
        if (beyond > 0) take(beyond);
      },
      release: () => {
        const left = owner === null ? 0 : (this.#heldBy.get(owner) ?? 0) - own;
        if (owner !== null && left > 0) this.#heldBy.set(owner, left);
        else if (owner !== null) this.#heldBy.delete(owner);
        this.#held -= own;
        own = 0;
      },
    };
  }
}
