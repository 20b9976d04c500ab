/**
 * An S3-compatible service as a process: `node --conditions=workspace-source main.ts '{"folder":…,"port":…,"bucket":…}'`.
 * It prints one line when it serves. Its files stay in the folder, so another process can serve them again. It stops when
 * its standard input ends, so that it does not outlive its parent.
 */
import S3rver from 's3rver';

const { folder, port, bucket } = JSON.parse(process.argv[2] as string) as {
  folder: string;
  port: number;
  bucket: string;
};
const configureBuckets = [{ name: bucket, configs: [] }];
const server = new S3rver({ port, address: '127.0.0.1', silent: true, directory: folder, configureBuckets });
await server.run();
process.stdout.write('serving\n');
process.stdin.once('end', () => process.exit(0)).resume();
