import { spawn } from 'node:child_process';
import t from 'tap';

t.test('a process is started', async (t) => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  t.ok(child.pid);
});
