/**
 * The modules of this repository and the boundaries between them, checked by `npm run boundaries`, part of
 * `npm run check`.
 *
 * A module is a folder, or a file beside the folders. Each lists the modules that it may import, all of them above it in
 * the list, so there can be no circle. Type imports count too. Tests of a module may import anything.
 * docs/architecture.md describes the modules, with a picture drawn from this list.
 */
export const all = 'all modules above';

export const modules = {
  runtime: {
    'vendor.ts': [],
    'garbage-collection.ts': [],
    extension: [],
    http: ['vendor.ts'],
    openapi: ['http', 'vendor.ts'],
    'settings.ts': ['http'],
    db: ['extension', 'vendor.ts'],
    queries: ['http', 'db'],
    operations: ['http', 'db', 'vendor.ts'],
    workers: ['http', 'operations'],
    'start-service': ['http', 'openapi', 'db', 'queries', 'operations', 'workers'],
    intl: [],
    money: ['http', 'intl'],
    'formats.ts': ['intl', 'money'],
    country: ['http'],
    delivery: ['http'],
    locale: ['http'],
    events: ['http', 'extension', 'db', 'operations', 'delivery'],
    background: ['extension', 'db', 'operations', 'workers', 'locale', 'events', 'vendor.ts'],
    pages: ['http', 'intl'],
    mails: ['http', 'extension', 'intl', 'db', 'events'],
    persons: ['http', 'extension', 'db'],
    storefront: ['extension', 'db'],
    services: ['http', 'extension'],
    compute: ['http', 'extension', 'vendor.ts'],
    box: ['http', 'extension', 'db', 'operations', 'workers', 'vendor.ts'],
    package: ['http', 'extension', 'settings.ts', 'events', 'background', 'box', 'vendor.ts'],
    resource: ['http', 'db', 'queries', 'events', 'box'],
    engine: ['http', 'db', 'queries', 'events', 'background', 'box', 'package', 'vendor.ts'],
    'start-box': ['http', 'extension', 'db', 'workers', 'start-service', 'box', 'package', 'engine', 'vendor.ts'],
    'run-service.ts': ['garbage-collection.ts', 'db', 'operations', 'workers', 'start-service'],
    'config.ts': ['http', 'operations', 'settings.ts'],
    'index.ts': all,
    'service.ts': all,
    'start-box.ts': all,
    'run-box.ts': all,
    'check-settings.ts': all,
    'main.ts': all,
    testing: all,
  },
  'control-plane': {
    registry: [],
    hosting: ['registry'],
    'schedule.ts': [],
    'schemas.ts': [],
    'csv.ts': [],
    'scrape.ts': [],
    'erasures.ts': [],
    'encryption.ts': ['registry'],
    'encrypt-again.ts': ['registry', 'schedule.ts', 'encryption.ts'],
    'journal-key.ts': ['registry', 'encryption.ts', 'encrypt-again.ts'],
    dns: ['schedule.ts'],
    'services.ts': ['registry', 'journal-key.ts', 'dns'],
    'csv-routes.ts': ['csv.ts', 'services.ts'],
    events: ['schemas.ts', 'services.ts'],
    releases: ['schemas.ts', 'services.ts', 'events'],
    signing: ['registry', 'services.ts'],
    telemetry: ['schemas.ts', 'schedule.ts', 'scrape.ts', 'erasures.ts', 'services.ts', 'csv-routes.ts'],
    license: ['schemas.ts', 'schedule.ts', 'erasures.ts', 'services.ts', 'events', 'releases', 'signing'],
    boxes: [
      'registry',
      'schedule.ts',
      'erasures.ts',
      'schemas.ts',
      'services.ts',
      'encryption.ts',
      'events',
      'license',
      'dns',
    ],
    administrators: ['schemas.ts', 'services.ts', 'journal-key.ts', 'license'],
    customers: [
      'schemas.ts',
      'schedule.ts',
      'erasures.ts',
      'services.ts',
      'csv-routes.ts',
      'events',
      'releases',
      'telemetry',
      'license',
      'boxes',
      'administrators',
    ],
    webhooks: ['schemas.ts', 'schedule.ts', 'scrape.ts', 'services.ts', 'encryption.ts', 'events'],
    'refused-credentials.ts': [],
    'access.ts': ['registry', 'services.ts', 'license', 'administrators', 'refused-credentials.ts'],
    'config.ts': ['registry', 'dns'],
    'jobs.ts': all,
    'api.ts': all,
    'start-control-plane.ts': all,
    'index.ts': all,
    'main.ts': all,
  },
  installer: {
    'vendor.ts': [],
    'exit-codes.ts': [],
    'failure.ts': ['exit-codes.ts'],
    'network.ts': [],
    'service-urls.ts': ['failure.ts', 'network.ts'],
    'control-plane-requests.ts': ['vendor.ts', 'failure.ts', 'network.ts'],
    'control-plane.ts': ['vendor.ts', 'failure.ts', 'network.ts', 'control-plane-requests.ts'],
    'registration.ts': ['failure.ts', 'control-plane.ts', 'control-plane-requests.ts'],
    output: ['vendor.ts', 'exit-codes.ts', 'failure.ts'],
    box: ['vendor.ts', 'exit-codes.ts', 'failure.ts', 'output'],
    supervisor: ['failure.ts', 'output', 'box'],
    'preflight.ts': ['failure.ts', 'output', 'box'],
    release: ['vendor.ts', 'failure.ts', 'box'],
    service: ['vendor.ts', 'failure.ts', 'output', 'box'],
    pull: ['vendor.ts', 'failure.ts', 'network.ts', 'control-plane.ts', 'output', 'box', 'release'],
    backup: ['vendor.ts', 'failure.ts', 'output', 'box'],
    upgrade: ['vendor.ts', 'failure.ts', 'output', 'box', 'release', 'backup'],
    commands: all,
    'command-line': all,
    'program.ts': all,
    'cli.ts': all,
    'index.ts': all,
  },
};

/** The entry points of the engine, which `runtime/package.json` exports. */
const names =
  '^runtime/(index|service|formats|delivery/index|http/html-sanitizer|testing/index|testing/contract/index|testing/embedded|testing/plans/index)\\.ts$';
const manifests = 'package\\.json$';
/** The routes of a package, and of its subjects. */
const routesOf = (name) => [`^vendor/${name}/routes[/.]`, `^vendor/${name}/[^/]+/routes[/.]`];
const tests = '/(test|testing)/';

/** Returns the boundaries around each module of a top-level folder. */
function boundariesOf(folder) {
  const known = Object.keys(modules[folder]);
  const pathOf = (module) => `^${folder}/${module.endsWith('.ts') ? `${module.replace('.', '\\.')}$` : `${module}/`}`;
  const boundaries = known.map((module, position) => {
    const above = known.slice(0, position);
    const knows = modules[folder][module] === all ? above : modules[folder][module];
    const below = knows.find((other) => !above.includes(other));
    if (below) throw new Error(`${folder}/${module} may import only modules above it, not ${below}`);
    return {
      name: `${folder}/${module}`,
      comment:
        knows.length > 0
          ? `of ${folder}/ it may import ${knows.join(', ')}`
          : `it may import nothing else of ${folder}/`,
      severity: 'error',
      from: { path: pathOf(module), pathNot: '/test/' },
      to: { path: `^${folder}/`, pathNot: [manifests, ...[module, ...knows].map(pathOf)] },
    };
  });
  const unknown = {
    name: `${folder}-module-unknown`,
    comment: 'a new module lists in .dependency-cruiser.mjs what it may import',
    severity: 'error',
    from: { path: `^${folder}/`, pathNot: [`^${folder}/test/`, ...known.map(pathOf)] },
    to: {},
  };
  return [...boundaries, unknown];
}

/** Returns a boundary between top-level folders. */
function boundary(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

export default {
  forbidden: [
    boundary('no-circle', 'files import each other in a circle', {}, { circular: true }),
    ...Object.keys(modules).flatMap(boundariesOf),
    boundary(
      'durable-files-first',
      'durable files are part of all bundles, and import nothing of the project',
      { path: '^durable-files/', pathNot: tests },
      { pathNot: ['^durable-files/', '^node:'] },
    ),
    boundary(
      'durable-files-by-no-path',
      'durable files are imported by their name, not by a path',
      { path: '^(runtime|control-plane|installer)/' },
      { path: '^durable-files/', dependencyTypes: ['local'] },
    ),
    boundary(
      'engine-first',
      'the engine imports nothing that builds on it',
      { path: '^runtime/', pathNot: tests },
      { path: '^(vendor|control-plane|installer)/' },
    ),
    boundary(
      'engine-by-its-names',
      'other folders import the public names of the engine: @carton/runtime, /service, /testing',
      { path: '^(vendor|control-plane|installer)/' },
      { path: '^runtime/', pathNot: names },
    ),
    boundary(
      'engine-by-no-path',
      'the engine is imported by its name, not by a path',
      { path: '^(vendor|control-plane|installer)/' },
      { path: '^runtime/', dependencyTypes: ['local'] },
    ),
    boundary(
      'packages-by-their-index',
      'a package imports what the index.ts of another exports; its tests also what testing/index.ts exports',
      { path: '^vendor/([^/]+)/' },
      { path: '^vendor/', pathNot: ['^vendor/$1/', '^vendor/[^/]+/(testing/)?index\\.ts$'] },
    ),
    boundary(
      'packages-by-no-path',
      'a package is imported by its name, not by a path',
      { path: '^vendor/([^/]+)/' },
      { path: '^vendor/', pathNot: '^vendor/$1/', dependencyTypes: ['local'] },
    ),
    boundary(
      'examples-as-partners',
      "an example imports what a partner's package may: by their names the engine and the index.ts of packages; its tests also what their testing/index.ts exports",
      { path: '^examples/([^/]+)/' },
      { pathNot: ['^examples/$1/', '^node:', '^(runtime|vendor/[^/]+)/(testing/)?index\\.ts$'] },
    ),
    boundary(
      'examples-by-no-path',
      'an example imports the engine and packages by their names, not by a path',
      { path: '^examples/' },
      { path: '^(runtime|vendor)/', dependencyTypes: ['local'] },
    ),
    boundary('examples-for-nobody', 'nothing imports an example', { pathNot: '^examples/' }, { path: '^examples/' }),
    boundary(
      'routes-for-the-index',
      'only the index.ts of a package imports its routes',
      { path: '^vendor/([^/]+)/', pathNot: ['^vendor/[^/]+/index\\.ts$', ...routesOf('[^/]+'), '/test/'] },
      { path: routesOf('$1') },
    ),
    boundary(
      'services-apart',
      'packages, control plane and installer do not import each other',
      { path: '^(vendor|control-plane|installer)/', pathNot: tests },
      { path: '^(vendor|control-plane|installer)/', pathNot: '^$1/' },
    ),
    boundary(
      'installer-alone',
      'the installer uses HTTP and files, and imports nothing of the engine',
      { path: '^installer/', pathNot: tests },
      { path: '^(runtime|vendor|control-plane)/' },
    ),
    boundary(
      'registry-alone',
      'the registry uses HTTP and files, and imports of the engine only how to deliver: it has no database',
      { path: '^control-plane/registry/', pathNot: tests },
      {
        path: '^(runtime|vendor|control-plane|installer)/',
        pathNot: ['^control-plane/registry/', '^runtime/delivery/index\\.ts$'],
      },
    ),
    boundary(
      'tools-apart',
      'scripts, benches, rigs and the suite of what is shipped share tools/, and do not import each other',
      { path: '^(scripts|bench|rigs|shipped|tools)/' },
      { path: '^(scripts|bench|rigs|shipped)/', pathNot: '^$1/' },
    ),
    boundary(
      'rigs-apart',
      'what two rigs need is in rigs/support/; only the rig tier imports others, to repeat them',
      { path: '^rigs/([^/]+)/', pathNot: ['^rigs/tier/', '/test/'] },
      { path: '^rigs/', pathNot: ['^rigs/$1/', '^rigs/support/'] },
    ),
    boundary(
      'product-alone',
      'shipped code imports nothing of scripts, tools, benches, rigs and shipped/',
      { path: '^(runtime|vendor|control-plane|installer)/' },
      { path: '^(scripts|tools|bench|rigs|shipped)/' },
    ),
    boundary(
      'testing-for-tests',
      'shipped code, and examples of it, import nothing that is for tests',
      { path: '^(runtime|vendor|examples|control-plane|installer)/', pathNot: tests },
      { path: tests },
    ),
    boundary(
      'tests-for-nobody',
      'only tests, and subjects of the suite of what is shipped, import from test/',
      { pathNot: ['/test/', '^shipped/subjects/'] },
      { path: '/test/' },
    ),
  ],
  options: {
    // TypeScript 7 has no JavaScript API.
    parser: 'swc',
    exclude: '(^|/)node_modules/',
    includeOnly:
      '^(durable-files|runtime|vendor|examples|control-plane|installer|scripts|tools|bench|rigs|shipped|knexfile\\.ts)',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['workspace-source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
