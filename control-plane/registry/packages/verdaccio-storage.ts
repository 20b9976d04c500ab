// The storage plugin of Verdaccio, loaded by verdaccio-storage.cjs: it reads packuments for Verdaccio, which changes
// nothing itself (publisher.ts).

import type { Packument } from './packument.ts';
import type { Packuments } from './packuments.ts';

/** The plugin's options in Verdaccio's configuration: `verdaccio-storage.cjs` calls `connect` to get the plugin. */
export type VerdaccioStorageOptions = { connect: () => VerdaccioStorage };

type Callback<Result = void> = (error: Error | null, result?: Result) => void;
type Found = { name: string; path: string; time: number };

/** Milliseconds. The gate has just read the packument, or found out that it cannot be read. */
const readByGate = 30_000;

const notFound = () => Object.assign(new Error('no such package available'), { code: 'ENOENT' });
const readOnly = () => Object.assign(new Error('Verdaccio must not change packages'), { status: 405 });

/** What Verdaccio uses of the package `name`. */
class VerdaccioPackage {
  readonly #packuments: Packuments;

  constructor(packuments: Packuments) {
    this.#packuments = packuments;
  }

  readPackage(name: string, callback: Callback<Packument>): void {
    this.#packuments.read(name, readByGate).then(
      (packument) => (packument === undefined ? callback(notFound()) : callback(null, packument)),
      (error: Error) => callback(error),
    );
  }

  createPackage(_name: string, _value: unknown, callback: Callback): void {
    callback(readOnly());
  }

  savePackage(_name: string, _value: unknown, callback: Callback): void {
    callback(readOnly());
  }

  updatePackage(_name: string, _update: unknown, _write: unknown, _transform: unknown, callback: Callback): void {
    callback(readOnly());
  }

  deletePackage(_file: string, callback: Callback): void {
    callback(readOnly());
  }

  removePackage(callback: Callback): void {
    callback(readOnly());
  }
}

export class VerdaccioStorage {
  readonly #packuments: Packuments;

  constructor(packuments: Packuments) {
    this.#packuments = packuments;
  }

  getPackageStorage(): VerdaccioPackage {
    return new VerdaccioPackage(this.#packuments);
  }

  /** Finds all packages. Verdaccio selects those that a search asks for. */
  search(onPackage: (found: Found, callback: (error?: Error) => void) => void, onEnd: Callback): void {
    const findAll = async () => {
      for await (const name of this.#packuments.names()) {
        const { modified } = (await this.#packuments.read(name))?.time ?? {};
        const found = { name, path: name, time: modified === undefined ? Date.now() : Date.parse(modified) };
        await new Promise<void>((resolve, reject) => onPackage(found, (error) => (error ? reject(error) : resolve())));
      }
    };
    findAll().then(
      () => onEnd(null),
      (error: Error) => onEnd(error),
    );
  }

  get(callback: Callback<string[]>): void {
    const listAll = async () => {
      const names: string[] = [];
      for await (const name of this.#packuments.names()) names.push(name);
      return names;
    };
    listAll().then(
      (names) => callback(null, names),
      (error: Error) => callback(error),
    );
  }

  add(_name: string, callback: Callback): void {
    callback(readOnly());
  }

  remove(_name: string, callback: Callback): void {
    callback(readOnly());
  }

  /** Verdaccio signs nothing with it: the gate takes the place of its authentication. */
  async getSecret(): Promise<string> {
    return '';
  }

  async setSecret(): Promise<void> {}
}
