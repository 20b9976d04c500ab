/**
 * Writes the parts of the documentation that are generated from code, and checks what the rest refers to. With `--check`
 * nothing is written: a part that is out of date is a fault.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orderStates, transitions } from '@carton/order';
import { packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import { loadPackages } from '../../runtime/package/load.ts';
import { passedTo } from '../../tools/command-line.ts';
import { readWorkspace } from '../../tools/packages/sources.ts';
import { checks } from '../checks/checks.ts';
import { checkCitations, contractFile, readContract } from '../documentation/citations.ts';
import { commandsText, commandWords, eventSchemaText, exitCodesTable } from '../documentation/commands.ts';
import { decisionsFolder, decisionsTable } from '../documentation/decisions.ts';
import { DeclarationFaults, withExports } from '../documentation/declared.ts';
import { sourcesOfUsers, unusedExports } from '../documentation/export-users.ts';
import { exportsTexts } from '../documentation/exports.ts';
import { extensionPointsTable } from '../documentation/extension-points.ts';
import { keptExports } from '../documentation/kept-exports.ts';
import { checksTable, helpText } from '../documentation/lists.ts';
import { knownMetrics, metricsTable, processMetricsList } from '../documentation/metrics.ts';
import { type Modules, modulesPicture, undescribedModules } from '../documentation/modules.ts';
import { orderStatesPicture } from '../documentation/order-states.ts';
import { longParagraphs } from '../documentation/paragraphs.ts';
import { personalDataTable } from '../documentation/personal-data.ts';
import { checkMessages, checkReferences } from '../documentation/references.ts';
import { routesText } from '../documentation/routes.ts';
import { controlPlaneSettingsTable, registrySettingsTable, settingsTable } from '../documentation/settings.ts';
import { statementsOfPackages } from '../documentation/statements.ts';
import { supervisorTables } from '../documentation/supervisor.ts';
import { listSourceFiles } from '../sources/source-files.ts';

const help = `Usage: npm run documentation -- [--check]

Writes the parts of the documentation that are generated from code, and checks
what the rest names: files, headings, commands, settings, metrics.

  --check  write nothing: a part that is out of date is a fault
  --help   this text

Exit codes: 0 no fault, 1 faults, 2 wrong usage.
`;
const options = { check: { type: 'boolean', default: false } } as const;
const { check: isCheck } = passedTo({ name: 'npm run documentation', help, options }).values;
const root = join(sourceRoot, '..');
const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
const metrics = await knownMetrics();
const operations = new Set(packages.flatMap(({ routes }) => routes.map(({ declaration }) => declaration.operationId)));
const { modules }: { modules: Record<string, Modules> } = await import(join(root, '.dependency-cruiser.mjs'));
const faults: string[] = [];

const files = await listSourceFiles(root);
const exportedBy = (owner: string, name: string) =>
  read(`${owner === 'runtime' ? 'runtime' : `vendor/${owner}`}/exports.md`).includes(`const ${name}: `);

const contributorsFile = 'CONTRIBUTING.md';

/** Sections of documents, between `<!-- <part>:begin -->` and `<!-- <part>:end -->`. */
const parts: { file: string; part: string; text: string }[] = [
  { file: 'README.md', part: 'settings', text: settingsTable(packages) },
  { file: 'control-plane/README.md', part: 'settings', text: controlPlaneSettingsTable() },
  { file: 'control-plane/registry/README.md', part: 'settings', text: registrySettingsTable() },
  { file: contributorsFile, part: 'checks', text: checksTable(checks) },
  { file: contributorsFile, part: 'benches', text: helpText(root, 'bench/run.ts') },
  { file: contributorsFile, part: 'rigs', text: helpText(root, 'rigs/run.ts') },
  { file: 'docs/routes.md', part: 'routes', text: routesText(packages) },
  {
    file: 'docs/extension-points.md',
    part: 'extension-points',
    text: extensionPointsTable(files, read, exportedBy, faults),
  },
  { file: `${decisionsFolder}/README.md`, part: 'decisions', text: decisionsTable(files, read, faults) },
  { file: 'docs/commands.md', part: 'commands', text: commandsText() },
  { file: 'docs/commands.md', part: 'exit-codes', text: exitCodesTable() },
  { file: 'docs/commands.md', part: 'events', text: eventSchemaText() },
  { file: 'installer/supervisor/README.md', part: 'transitions', text: supervisorTables() },
  { file: 'docs/personal-data.md', part: 'personal-data', text: personalDataTable(packages) },
  { file: 'docs/operations.md', part: 'metrics', text: metricsTable(metrics.families) },
  { file: 'docs/operations.md', part: 'control-plane-metrics', text: metricsTable(metrics.ofControlPlane) },
  { file: 'docs/operations.md', part: 'registry-metrics', text: metricsTable(metrics.ofRegistry) },
  { file: 'docs/operations.md', part: 'process-metrics', text: processMetricsList(metrics) },
];
const architectureFile = 'docs/architecture.md';
const operationsFile = 'docs/operations.md';
const metricsFiles = [operationsFile, 'docs/prometheus-alerts.yml'];

for (const { file, part, text } of parts) {
  const [begin, end] = [`<!-- ${part}:begin -->`, `<!-- ${part}:end -->`];
  const before = read(file);
  const [from, to] = [before.indexOf(begin) + begin.length, before.indexOf(end)];
  writeOrCompare(file, `${before.slice(0, from)}\n${text}\n${before.slice(to)}`, `${part} out of date`);
}
for (const [folder, allowed] of Object.entries(modules)) {
  writeOrCompare(
    `docs/modules-${folder}.svg`,
    modulesPicture(folder, allowed),
    'not the modules of .dependency-cruiser.mjs',
  );
  const missing = undescribedModules(read(architectureFile), folder, allowed);
  faults.push(
    ...missing.map((module) => `${architectureFile}: the table of ${folder}/ does not have the module ${module}`),
  );
}
writeOrCompare(
  'docs/order-states.svg',
  orderStatesPicture(orderStates, transitions),
  'not the transitions of vendor/order/states/transitions.ts',
);
await withExports(await readWorkspace(root), tmpdir(), async (exports) => {
  for (const [file, text] of await exportsTexts(root, exports))
    writeOrCompare(file, text, 'not what the package exports; see what the change means for those who use it');
  faults.push(...(await unusedExports(exports, await sourcesOfUsers(root, files), keptExports)));
}).catch((error: unknown) => {
  if (!(error instanceof DeclarationFaults)) throw error;
  faults.push(error.message);
});
for (const file of metricsFiles) {
  const text = read(file);
  for (const name of new Set(text.match(metrics.pattern))) {
    if (!metrics.has(name)) faults.push(`${file}: there is no metric ${name}`);
  }
  for (const [, name = ''] of text.matchAll(/operation(?:=|Id":)"(\w+)"/g)) {
    if (!operations.has(name)) faults.push(`${file}: there is no operation ${name}`);
  }
}
const contributions = packages.flatMap((loaded) => loaded.extends ?? []);
const statements = await statementsOfPackages(root, files, contributions);
for (const [file, text] of statements.texts) writeOrCompare(file, text, 'not what the samples of the package send');
faults.push(...statements.faults);
const engineSources = files
  .filter((file) => /^runtime\/.*\.ts$/.test(file) && !file.includes('/test/'))
  .map((file) => read(file).replace(/\$\{name\}/g, 'box'));
faults.push(...checkMessages(operationsFile, read(operationsFile), engineSources));
faults.push(...longParagraphs(contributorsFile, read(contributorsFile)));
const contract = readContract(read(contractFile));
const scripts = new Set(Object.keys(JSON.parse(read('package.json')).scripts));
for (const file of files) {
  if (/\.([cm]?js|ts)$/.test(file)) faults.push(...checkCitations(file, read(file), contract));
  if (file.endsWith('.md') && file !== 'CHANGELOG.md') {
    faults.push(...checkReferences(file, { files, scripts, commands: commandWords, read }));
  }
}
if (faults.length > 0) {
  const advice = isCheck ? ['npm run documentation writes the generated parts'] : [];
  console.error([...faults, ...advice].join('\n'));
  process.exit(1);
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function writeOrCompare(file: string, text: string, fault: string): void {
  if (existsSync(join(root, file)) && read(file) === text) return;
  if (isCheck) faults.push(`${file}: ${fault}`);
  else writeFileSync(join(root, file), text);
}
