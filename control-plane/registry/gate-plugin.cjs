// What Verdaccio loads by name. It hands over the plugin that `startRegistry` has made (gate-plugin.ts) and is plain
// CommonJS because Verdaccio loads plugins with `require`, which must not depend on how TypeScript is run.

module.exports = (configuration) => configuration.connect();
