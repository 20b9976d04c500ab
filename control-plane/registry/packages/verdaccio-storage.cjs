// The module that Verdaccio loads by name. It returns the plugin that `startRegistry` created (verdaccio-storage.ts).

module.exports = (configuration) => configuration.connect();
