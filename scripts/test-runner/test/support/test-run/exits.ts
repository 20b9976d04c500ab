import t from 'tap';

t.test('the process is killed', async () => {
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => setTimeout(() => {}, 60_000));
});
