/**
 * The vendor of this software. Its name is defined in one place only, the scope of this package's name.
 */
import manifest from './package.json' with { type: 'json' };

const scope = manifest.name.slice(0, manifest.name.indexOf('/'));

export const vendor = Object.freeze({
  /** The plain name, also that of the command and the prefix of cookie names. */
  name: scope.slice(1),
  /** The npm scope of every package. */
  scope,
  /** Issuer of activation tokens (contract, JWKS response). */
  issuer: `${scope.slice(1)}-control-plane`,
  /** Version of the engine. */
  version: manifest.version,
});

/** The full npm name of a package: `cart` becomes `@vendor/cart`. */
export function packageName(short: string): string {
  return `${scope}/${short}`;
}

/** The short name of a package: `@vendor/cart` becomes `cart`. */
export function shortName(name: string): string {
  return name.startsWith(`${scope}/`) ? name.slice(scope.length + 1) : name;
}
