// Building and publishing the packages of a box: what `npm run publish:packages`, the local stack and tests call.

export { type BuildOptions, type BuiltPackage, buildPackages } from './build.ts';
export { type PublishOptions, type PublishResult, publishPackages } from './publish.ts';
