import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

/** Tests how the release workflow prepares the packages before it publishes them. */

const REPOSITORY = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Copies the manifests of the repository to a folder of their own. */
async function copied() {
  const folder = await mkdtemp(join(tmpdir(), 'published-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { workspaces, scripts } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  const directories: string[] = ['.', ...workspaces];
  for (const directory of directories) {
    await mkdir(join(folder, directory), { recursive: true });
    const manifest = await readFile(join(REPOSITORY, directory, 'package.json'));
    await writeFile(join(folder, directory, 'package.json'), manifest);
  }
  const text = (directory: string) => readFile(join(folder, directory, 'package.json'), 'utf8');
  return {
    scripts: scripts as Record<string, string>,
    text,
    manifest: async (directory: string) => JSON.parse(await text(directory)),
    nameRepository: (env: Record<string, string>) =>
      run(process.execPath, [join(REPOSITORY, 'scripts/name-repository.ts')], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', ...env },
      }),
  };
}

test('each published package names the repository of the CI that builds it, and nothing else changes', async () => {
  const { manifest, text, nameRepository } = await copied();
  const before = { cli: await manifest('cli'), examples: await text('examples'), root: await text('.') };
  await nameRepository({ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'Some-One/a-Shop' });
  for (const directory of ['spec', 'sdk', 'cli', 'server'])
    expect(await manifest(directory)).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.com/Some-One/a-Shop.git', directory },
      homepage: `https://github.com/Some-One/a-Shop/tree/main/${directory}#readme`,
      bugs: { url: 'https://github.com/Some-One/a-Shop/issues' },
    });
  expect(await manifest('cli')).toMatchObject(before.cli);
  expect(await text('cli')).toMatch(/^\{\n {2}"/);
  expect([await text('examples'), await text('.')]).toEqual([before.examples, before.root]);
});

test('outside of CI it changes nothing, and reports the missing variable', async () => {
  const { text, nameRepository } = await copied();
  const before = await text('sdk');
  await expect(nameRepository({})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('GITHUB_SERVER_URL and GITHUB_REPOSITORY'),
  });
  expect(await text('sdk')).toBe(before);
});

test('the release workflow publishes only packages that name its repository', async () => {
  const { scripts } = await copied();
  const workflow = await readFile(join(REPOSITORY, '.github/workflows/release.yml'), 'utf8');
  expect(workflow).toContain('publish: npm run publish-packages\n');
  expect(scripts['publish-packages']).toMatch(/&& node scripts\/name-repository\.ts && changeset publish$/);
});
