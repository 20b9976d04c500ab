export * from './clients.ts';
export * from './control-plane-stub.ts';
export * from './open-registry.ts';
export * from './other-clients.ts';
