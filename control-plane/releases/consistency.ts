/**
 * Whether the packages of a release fit together. One that does not is refused, so no box can be given one.
 */
import { type FieldError, packageName } from '@carton/runtime/service';
import { satisfies, valid, validRange } from 'semver';
import type { ReleasedPackage } from './schemas.ts';

/** The engine, which every release needs. */
const engine = packageName('runtime');

/** Returns what is wrong, with a JSON pointer to where; an empty list for packages that fit together. */
export function inconsistencies(packages: readonly ReleasedPackage[]): FieldError[] {
  const errors: FieldError[] = [];
  const report = (pointer: string, detail: string) => errors.push({ in: 'body', pointer, detail });
  const versions = new Map<string, string>();

  for (const [index, { name, version, kind, tier }] of packages.entries()) {
    const place = `/packages/${index}`;
    if (versions.has(name)) report(`${place}/name`, `${name} is a duplicate`);
    if (!valid(version)) report(`${place}/version`, `${version} is not a semantic version`);
    if ((kind === 'product') !== (tier !== null)) {
      report(`${place}/tier`, kind === 'product' ? 'a product needs a tier' : `a ${kind} has no tier`);
    }
    versions.set(name, version);
  }
  if (!versions.has(engine)) report('/packages', `${engine} is missing, which every box needs`);

  for (const [index, { name, version, dependencies }] of packages.entries()) {
    for (const [position, { name: needed, range, optional }] of dependencies.entries()) {
      const pointer = `/packages/${index}/dependencies/${position}`;
      const present = versions.get(needed);
      if (validRange(range) === null) report(pointer, `${range} is not a version range`);
      else if (present === undefined && !optional) report(pointer, `${name} needs ${needed}, which is missing`);
      else if (present !== undefined && !satisfies(present, range)) {
        report(pointer, `${name} ${version} needs ${needed} ${range}, and the release has ${present}`);
      }
    }
  }
  return errors;
}
