import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { type Browser, startChromium } from '../chromium.ts';
import { type ConsoleWindow, openConsole } from './open-console.ts';

/** The browser reports each refused request as a message of the network. */
const isNetworkMessage = (message: string) =>
  /^error: Failed to load resource: (.* status of (40[0134]|410|429|50[03])|net::ERR_FAILED)/.test(message);

/**
 * Starts a browser for the tests of a file. Returns a function that opens a window of the console. After each test, its windows
 * must have reported no fault and sent no request to a foreign host.
 */
export function openWindows(): (options?: Parameters<typeof openConsole>[2]) => Promise<ConsoleWindow> {
  const { baseUrl, issuer } = inject('gatepass');
  const ours = [baseUrl, issuer].map((url) => new URL(url).host);
  const windows: ConsoleWindow[] = [];
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());
  afterEach(async ({ task }) => {
    for (const { page, complaints, hosts, screenshot } of windows.splice(0)) {
      if (task.result?.state === 'fail') await screenshot(`failed-${task.id}`);
      expect(complaints.filter((message) => !isNetworkMessage(message))).toEqual([]);
      expect([...hosts].filter((host) => !ours.includes(host))).toEqual([]);
      await page.context().close();
    }
  });
  return async (options) => {
    const window = await openConsole(browser, baseUrl, options);
    windows.push(window);
    return window;
  };
}
