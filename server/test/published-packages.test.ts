/** Tests how the release workflow prepares the packages for publishing. */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Copies the package manifests of the repository to a temporary folder. */
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

test("name-repository.ts adds links to the CI's repository to each published package, and changes no other field", async () => {
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

test('outside of CI, name-repository.ts changes no package, exits with 1, and names the missing variables', async () => {
  const { text, nameRepository } = await copied();
  const before = await text('sdk');
  await expect(nameRepository({})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('GITHUB_SERVER_URL and GITHUB_REPOSITORY'),
  });
  expect(await text('sdk')).toBe(before);
});

test('the release workflow runs name-repository.ts before it publishes the packages', async () => {
  const { scripts } = await copied();
  const workflow = await readFile(join(REPOSITORY, '.github/workflows/release.yml'), 'utf8');
  expect(workflow).toContain('publish: npm run publish-packages\n');
  expect(scripts['publish-packages']).toMatch(/&& node scripts\/name-repository\.ts && changeset publish$/);
});

test('the bill of materials lists each package that a release installs or contains, and no test tools', async () => {
  const { stdout } = await run(process.execPath, [join(REPOSITORY, 'scripts/sbom.ts')], { maxBuffer: 2 ** 26 });
  const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: { purl: string }[] };
  const listed = components.map(({ purl }) => decodeURIComponent(purl));
  const missing = async (directory: string) => {
    const manifest = JSON.parse(await readFile(join(REPOSITORY, directory, 'package.json'), 'utf8'));
    const names = Object.keys(manifest.dependencies ?? {});
    return names.filter((name) => !listed.some((purl) => purl.startsWith(`pkg:npm/${name}@`)));
  };

  expect(bomFormat).toBe('CycloneDX');
  expect(await Promise.all(['spec', 'server', 'sdk', 'cli'].map(missing))).toEqual([[], [], [], []]);
  expect(listed).toContainEqual(expect.stringMatching(/^pkg:npm\/react-dom@/));
  expect(listed).toContainEqual(expect.stringMatching(/^pkg:npm\/redoc@/));
  expect(listed.filter((purl) => /\/(vitest|typescript|vite|puppeteer-core)@/.test(purl))).toEqual([]);
});
