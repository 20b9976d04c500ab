/**
 * Checks that the packages of a release are compatible, so that a box can always install it.
 */
import { type FieldError, packageName } from '@carton/runtime/service';
import { satisfies, valid, validRange } from 'semver';
import type { ReleasedPackage } from './schemas.ts';

/** The engine, which every release must contain. */
const engine = packageName('runtime');

/** Returns the faults of a release's packages, each with its JSON pointer; an empty list if they are compatible. */
export function findInconsistencies(packages: readonly ReleasedPackage[]): FieldError[] {
  const errors: FieldError[] = [];
  const report = (pointer: string, detail: string) => errors.push({ in: 'body', pointer, detail });
  const versions = new Map<string, string>();

  for (const [index, { name, version, kind, tier }] of packages.entries()) {
    const pointer = `/packages/${index}`;
    if (versions.has(name)) report(`${pointer}/name`, `${name} is a duplicate`);
    if (!valid(version)) report(`${pointer}/version`, `${version} is not a semantic version`);
    if ((kind === 'product') !== (tier !== null)) {
      report(`${pointer}/tier`, kind === 'product' ? 'a product must have a tier' : `a ${kind} must not have a tier`);
    }
    versions.set(name, version);
  }
  if (!versions.has(engine)) report('/packages', `${engine}, which every box needs, is missing`);

  for (const [index, { name, version, dependencies }] of packages.entries()) {
    for (const [position, { name: needed, range, optional }] of dependencies.entries()) {
      const pointer = `/packages/${index}/dependencies/${position}`;
      const present = versions.get(needed);
      if (validRange(range) === null) report(pointer, `${range} is not a version range`);
      else if (present === undefined && !optional) report(pointer, `${name} depends on ${needed}, which is missing`);
      else if (present !== undefined && !satisfies(present, range)) {
        report(pointer, `${name} ${version} depends on ${needed} ${range}, but the release contains ${present}`);
      }
    }
  }
  return errors;
}
