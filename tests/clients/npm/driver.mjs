// A client of the TypeScript SDK 1.x or 2.x, told line by line what to do: {"id", "do", …} in, {"id", …} out.
// Arguments: the SDK ("1" or "2"), and as JSON how to connect (see `Connection` in drivers.py).
import { createInterface } from 'node:readline';

const [sdk, text] = process.argv.slice(2);
const connection = JSON.parse(text);

const SDKS = {
    1: async () => {
        const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }, { ElicitRequestSchema }] =
            await Promise.all([
                import('@modelcontextprotocol/sdk/client/index.js'),
                import('@modelcontextprotocol/sdk/client/stdio.js'),
                import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
                import('@modelcontextprotocol/sdk/types.js'),
            ]);
        return {
            Client,
            StdioClientTransport,
            StreamableHTTPClientTransport,
            asked: ElicitRequestSchema,
            call: (client, params, options) => client.callTool(params, undefined, options),
        };
    },
    2: async () => {
        const [{ Client, StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all([
            import('@modelcontextprotocol/client'),
            import('@modelcontextprotocol/client/stdio'),
        ]);
        return {
            Client,
            StdioClientTransport,
            StreamableHTTPClientTransport,
            asked: 'elicitation/create',
            call: (client, params, options) => client.callTool(params, options),
        };
    },
};

const { Client, StdioClientTransport, StreamableHTTPClientTransport, asked, call } = await SDKS[sdk]();

function transport() {
    if (connection.url) {
        const headers = { Authorization: `Bearer ${connection.token}` };
        return new StreamableHTTPClientTransport(new URL(connection.url), { requestInit: { headers } });
    }
    const { command, args, env, cwd } = connection;
    return new StdioClientTransport({ command, args, env, cwd, stderr: 'ignore' });
}

let answer = 'decline';
let questions = [];
let running = new AbortController();

const client = new Client(
    { name: 'katana-mcp-clients', version: '1' },
    {
        capabilities: connection.person ? { elicitation: {} } : {},
        ...(connection.era === 'auto' ? { versionNegotiation: { mode: 'auto' } } : {}),
    },
);
if (connection.person) {
    client.setRequestHandler(asked, async request => {
        questions.push(request.params.message);
        return answer === 'accept' ? { action: 'accept', content: { confirm: true } } : { action: answer };
    });
}

async function callTool(told) {
    const progress = [];
    answer = told.answer ?? 'decline';
    questions = [];
    running = new AbortController();
    const seen = { progress, questions };
    const options = {
        signal: running.signal,
        timeout: 120_000,
        onprogress: report => progress.push([report.progress, report.total ?? null, report.message ?? '']),
    };
    try {
        const result = await call(client, { name: told.tool, arguments: told.arguments }, options);
        const texts = result.content.filter(block => block.type === 'text').map(block => block.text);
        return { ...seen, text: texts.join('\n'), is_error: Boolean(result.isError) };
    } catch (error) {
        return { ...seen, thrown: `${error.name} ${error.code ?? ''}: ${error.message}` };
    }
}

const DEEDS = {
    connect: async () => {
        await client.connect(transport());
        return {};
    },
    list: async () => ({ tools: (await client.listTools()).tools.map(tool => tool.name) }),
    call: callTool,
    cancel: async () => {
        running.abort('not wanted any more');
        return {};
    },
};

for await (const line of createInterface({ input: process.stdin })) {
    const told = JSON.parse(line);
    // Not awaited: a call may be cancelled while it runs.
    DEEDS[told.do](told)
        .catch(error => ({ thrown: `${error.name} ${error.code ?? ''}: ${error.message}` }))
        .then(seen => process.stdout.write(`${JSON.stringify({ id: told.id, ...seen })}\n`));
}
await client.close();
process.exit(0);
