import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '../../server/test/chromium.ts';

/**
 * A person at a screen or a terminal. Counts the presses and the typed characters. With a pace of 1, the person is as
 * slow as people are; with 0, only the machine takes time.
 */
export class Person {
  clicks = 0;
  fields = 0;
  keys = 0;
  readonly #seen = new Set<string>();
  readonly #pace: number;

  constructor(pace: number) {
    this.#pace = pace;
  }

  /** Reads new text at 250 words a minute, for at most 15 seconds, because people skip the rest. */
  async read(text: string): Promise<void> {
    const fresh = text.split('\n').filter((line) => line.trim() !== '' && !this.#seen.has(line.trim()));
    for (const line of fresh) this.#seen.add(line.trim());
    const words = fresh.join(' ').split(/\s+/).filter(Boolean).length;
    await this.#pause(Math.min(words * 0.24, 15));
  }

  /** Waits 2.5 s, about the time to decide (1.35 s) and to point (1.1 s) in the keystroke-level model. */
  async point(): Promise<void> {
    this.clicks += 1;
    await this.#pause(2.5);
  }

  /** Types 200 characters a minute, after a moment to decide. */
  async key(text: string): Promise<void> {
    this.keys += text.length;
    await this.#pause(1.35 + text.length * 0.3);
  }

  async #pause(seconds: number): Promise<void> {
    if (this.#pace > 0) await sleep(seconds * 1_000 * this.#pace);
  }
}

const WAIT = { timeout: 60_000 };

/** The browser of a person, who reads the screens and presses buttons by their visible names. */
export class Screen {
  readonly tab: Page;
  readonly person: Person;

  constructor(tab: Page, person: Person) {
    this.tab = tab;
    this.person = person;
  }

  async open(url: string): Promise<void> {
    await this.tab.goto(url);
    await this.tab.waitForSelector('h1', WAIT);
    await this.read();
  }

  async read(): Promise<void> {
    await this.tab.waitForFunction(`!document.querySelector('.loading, [aria-busy="true"]')`, WAIT);
    await this.person.read(String(await this.tab.evaluate('document.body.innerText')));
  }

  async press(name: string, role = 'button'): Promise<void> {
    await this.person.point();
    const button = this.tab
      .locator(`::-p-aria([name="${name}"][role="${role}"])`)
      .setTimeout(WAIT.timeout)
      .filter(({ ariaDisabled }) => ariaDisabled !== 'true');
    const handle = await button.waitHandle();
    await handle.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await button.click();
  }

  /** Types into a field, or chooses in a list. */
  async fill(label: string, value: string): Promise<void> {
    this.person.fields += 1;
    await this.person.key(value);
    const field = this.tab.locator(`::-p-aria([name="${label}"])`).setTimeout(WAIT.timeout);
    if (value.length <= 100) return field.fill(value);
    await field.click();
    return this.tab.keyboard.sendCharacter(value);
  }

  async enter(): Promise<void> {
    this.person.keys += 1;
    await this.tab.keyboard.press('Enter');
  }

  /** Waits until the screen shows this text, which confirms the action. */
  async sees(text: string): Promise<void> {
    await this.tab.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, WAIT);
    await this.read();
  }
}
