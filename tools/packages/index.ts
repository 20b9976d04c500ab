// Builds, publishes and releases the packages of a box, for `npm run publish:packages`, `npm run release`, the local
// stack and tests.

export { type BuildOptions, buildPackages } from './build.ts';
export type { BuiltPackage } from './built-package.ts';
export { readContents } from './contents.ts';
export { distTagOf, tagChannel } from './dist-tags.ts';
export { openOtherPlatforms } from './other-platforms.ts';
export {
  type ProvenanceOptions,
  packageProvenance,
  publishProvenance,
  publishReleaseProvenance,
  readBuildFacts,
  releaseProvenance,
  sealProvenance,
} from './provenance.ts';
export { isPublishedAt, type PublishOptions, type PublishResult, publishPackages } from './publish.ts';
export { makeRelease, publishRelease, releasedPackages, versionOfContent } from './release.ts';
export { serviceUrl } from './service-urls.ts';
export { createKeys, openSigningKeys, type PublicKey, type Sign, type Signature } from './signing.ts';
export { verifyPublished } from './verification.ts';
