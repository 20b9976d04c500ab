/**
 * All routes of the packages, by tier and package, for docs/routes.md.
 */
import { routesOf } from '../../runtime/box/access.ts';
import { type Tier, tiers } from '../../runtime/box/tier.ts';
import type { LoadedPackage } from '../../runtime/package/load.ts';
import { callersText } from './callers.ts';

const table = ['| method | path | does | who may call it |', '| --- | --- | --- | --- |'];

/** The number of routes and packages of each tier, and a table for each package; `+` marks routes beyond the contract. */
export function routesText(packages: readonly LoadedPackage[]): string {
  const counts = tiers.map((tier) => countOf(tier, packages));
  const sections = tiers.flatMap((tier) => {
    const inTier = packages.filter((loaded) => loaded.tier === tier).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return inTier.length === 0 ? [] : [`## ${tier[0]?.toUpperCase()}${tier.slice(1)}`, ...inTier.map(sectionOf)];
  });
  return [[...counts, ''].join('\n'), ...sections].join('\n');
}

/** A tier contains the packages of the tiers below it. */
function countOf(tier: Tier, packages: readonly LoadedPackage[]): string {
  const included = packages.filter((loaded) => tiers.indexOf(loaded.tier) <= tiers.indexOf(tier));
  const declarations = included.flatMap((loaded) => routesOf(loaded).map(({ declaration }) => declaration));
  const beyond = declarations.filter((declaration) => declaration.beyond).length;
  return `- **${tier}**: ${included.length} packages, ${declarations.length - beyond} routes and ${beyond} beyond`;
}

function sectionOf(loaded: LoadedPackage): string {
  const rows = routesOf(loaded).map(({ declaration }) => {
    const { method, path, summary, beyond } = declaration;
    return `| ${method.toUpperCase()} | \`${path}\`${beyond ? ' +' : ''} | ${summary} | ${callersText(declaration)} |`;
  });
  return [
    `\n### ${loaded.name}\n`,
    `${loaded.description}. [README](../vendor/${loaded.name}/README.md)\n`,
    ...(rows.length > 0 ? [...table, ...rows] : ['Without routes.']),
    '',
  ].join('\n');
}
