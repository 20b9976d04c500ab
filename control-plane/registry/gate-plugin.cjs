// The module that Verdaccio loads by name. It returns the plugin that `startRegistry` created (gate-plugin.ts). It is
// CommonJS, since Verdaccio loads plugins with `require`, which must not depend on how TypeScript is run.

module.exports = (configuration) => configuration.connect();
