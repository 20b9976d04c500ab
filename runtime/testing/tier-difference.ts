/**
 * How the routes of a tier differ from those of a higher one, which has more packages.
 */

import type { RouteDeclaration } from '../http/route.ts';
import type { RunningBox } from '../start-box.ts';
import type { CompleteDescription } from './described-box.ts';

export interface TierDifference {
  /** Full names of the packages that the lower tier lacks. */
  packages: string[];
  /** Names of the extension points to which these contribute. */
  points: string[];
  /** The routes that the lower tier lacks. */
  missing: RouteDeclaration[];
  /** The routes that only the lower tier has. */
  extra: RouteDeclaration[];
  /** The routes of the lower tier that are declared differently, or whose path has other methods. */
  differing: Set<RouteDeclaration>;
}

/** Compares a box with the description of one that has more packages, all loaded from the same folders. */
export function compareTiers(
  lower: Pick<RunningBox, 'routes' | 'packages'>,
  higher: Pick<CompleteDescription, 'routes' | 'packages'>,
): TierDifference {
  const [own, others] = [declarationsOf(lower), declarationsOf(higher)];
  const known = new Set(lower.packages.map(({ fullName }) => fullName));
  const packages = higher.packages.filter(({ fullName }) => !known.has(fullName));
  const points = packages.flatMap((each) => (each.extends ?? []).map(({ point }) => point.name));
  const [ownMethods, otherMethods] = [methodsByPath(own), methodsByPath(others)];
  const isDifferent = (declaration: RouteDeclaration) => {
    const other = others.get(declaration.operationId);
    const path = shapeOf(declaration);
    return (
      other === undefined || textOf(other) !== textOf(declaration) || ownMethods.get(path) !== otherMethods.get(path)
    );
  };
  return {
    packages: packages.map(({ fullName }) => fullName),
    points: [...new Set(points)].sort(),
    missing: [...others.values()].filter(({ operationId }) => !own.has(operationId)),
    extra: [...own.values()].filter(({ operationId }) => !others.has(operationId)),
    differing: new Set([...own.values()].filter(isDifferent)),
  };
}

function declarationsOf({ routes }: Pick<RunningBox, 'routes'>): Map<string, RouteDeclaration> {
  return new Map(routes.map(({ declaration }) => [declaration.operationId, declaration]));
}

function textOf(declaration: RouteDeclaration): string {
  return JSON.stringify(declaration);
}

/** Parameters of a path may have different names in different packages. */
function shapeOf({ path }: RouteDeclaration): string {
  return path.replaceAll(/:\w+/g, ':');
}

function methodsByPath(declarations: ReadonlyMap<string, RouteDeclaration>): Map<string, string> {
  const methods = new Map<string, string[]>();
  for (const declaration of declarations.values()) {
    const path = shapeOf(declaration);
    methods.set(path, [...(methods.get(path) ?? []), declaration.method]);
  }
  return new Map([...methods].map(([path, found]) => [path, found.sort().join()]));
}
