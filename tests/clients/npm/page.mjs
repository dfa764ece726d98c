// Pages in Chromium that call the server with fetch, as an MCP client in a browser does.
// Arguments: Chromium's path, the server's URL, its token, and the origins whose pages are tried. Prints what each saw.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [executablePath, url, token, ...origins] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'katana-page-'));
const quiet = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: [...quiet, '--disable-component-update', '--disable-sync', ...(process.getuid() ? [] : ['--no-sandbox'])],
});

async function session([url, token]) {
    const post = (body, more = {}) =>
        fetch(url, {
            method: 'POST',
            headers: {
                Accept: 'application/json, text/event-stream',
                Authorization: `Bearer ${token}`,
                'Content-Type': 'application/json',
                ...more,
            },
            body: JSON.stringify({ jsonrpc: '2.0', ...body }),
        });
    const read = async response => JSON.parse((await response.text()).match(/^data: (\{.*)$/m)[1]).result;
    try {
        const protocolVersion = '2025-06-18';
        const clientInfo = { name: 'page', version: '1' };
        const params = { protocolVersion, capabilities: {}, clientInfo };
        const hello = await post({ id: 1, method: 'initialize', params });
        if (!hello.ok) return { status: hello.status, challenge: hello.headers.get('WWW-Authenticate') };
        const server = (await read(hello)).serverInfo.name;
        const names = { 'Mcp-Session-Id': hello.headers.get('Mcp-Session-Id'), 'MCP-Protocol-Version': protocolVersion };
        await post({ method: 'notifications/initialized' }, names);
        const { tools } = await read(await post({ id: 2, method: 'tools/list' }, names));
        const ended = await fetch(url, { method: 'DELETE', headers: { Authorization: `Bearer ${token}`, ...names } });
        return { status: hello.status, server, tools: tools.length, ended: ended.status };
    } catch (error) {
        return { thrown: `${error.name}: ${error.message}` };
    }
}

const seen = {};
for (const origin of origins) {
    const page = await context.newPage();
    await page.goto(origin);
    seen[origin] = {
        origin: await page.evaluate(() => location.origin),
        right: await page.evaluate(session, [url, token]),
        wrong: await page.evaluate(session, [url, `${token}x`]),
    };
    await page.close();
}
await context.close();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify(seen));
