/**
 * The parts of the documentation that say what the code says: written by `npm run documentation`, compared with
 * `--check`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import { loadPackages } from '../runtime/package/load.ts';
import { checkCitations, contractFile, readContract } from './documentation/citations.ts';
import { knownMetrics, metricsTable, processMetricsList } from './documentation/metrics.ts';
import { personalDataTable } from './documentation/personal-data.ts';
import { checkReferences } from './documentation/references.ts';
import { settingsTable } from './documentation/settings.ts';
import { listSourceFiles } from './source-files.ts';

const root = join(sourceRoot, '..');
const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
const metrics = await knownMetrics();

/** What stands between `<!-- <part>:begin -->` and `<!-- <part>:end -->` of a file. */
const parts: { file: string; part: string; text: string }[] = [
  { file: 'README.md', part: 'settings', text: settingsTable(packages) },
  { file: 'docs/personal-data.md', part: 'personal-data', text: personalDataTable(packages) },
  { file: 'docs/operations.md', part: 'metrics', text: metricsTable(metrics) },
  { file: 'docs/operations.md', part: 'process-metrics', text: processMetricsList(metrics) },
];
const operations = new Set(packages.flatMap(({ routes }) => routes.map(({ declaration }) => declaration.operationId)));

/** Files that speak of metrics and operations: of those that there are, and of no others. */
const speakOfMetrics = ['docs/operations.md', 'docs/prometheus-alerts.yml'];

const faults: string[] = [];
for (const { file, part, text } of parts) {
  const [begin, end] = [`<!-- ${part}:begin -->`, `<!-- ${part}:end -->`];
  const before = readFileSync(join(root, file), 'utf8');
  const [from, to] = [before.indexOf(begin) + begin.length, before.indexOf(end)];
  const written = `${before.slice(0, from)}\n${text}\n${before.slice(to)}`;
  if (written === before) continue;
  if (process.argv.includes('--check')) faults.push(`${file}: its ${part} are not those of the code`);
  else writeFileSync(join(root, file), written);
}
for (const file of speakOfMetrics) {
  const text = readFileSync(join(root, file), 'utf8');
  for (const name of new Set(text.match(metrics.pattern))) {
    if (!metrics.has(name)) faults.push(`${file}: there is no metric ${name}`);
  }
  for (const [, name = ''] of text.matchAll(/operation(?:=|Id":)"(\w+)"/g)) {
    if (!operations.has(name)) faults.push(`${file}: there is no operation ${name}`);
  }
}
const files = await listSourceFiles(root);
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const contract = readContract(read(contractFile));
const scripts = new Set(Object.keys(JSON.parse(read('package.json')).scripts));
for (const file of files) {
  if (/\.([cm]?js|ts)$/.test(file)) faults.push(...checkCitations(file, read(file), contract));
  if (file.endsWith('.md') && file !== 'CHANGELOG.md' && !file.startsWith('scripts/new/template/')) {
    faults.push(...checkReferences(file, { files, scripts, read }));
  }
}
if (faults.length > 0) {
  console.error([...faults, 'npm run documentation writes what can be written'].join('\n'));
  process.exit(1);
}
