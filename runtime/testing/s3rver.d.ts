/** The part of s3rver that the tests use; it has no types of its own. */
declare module 's3rver' {
  import type { Server } from 'node:http';

  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string; configs: never[] }[];
    });
    readonly httpServer: Server;
    run(): Promise<unknown>;
  }
}
