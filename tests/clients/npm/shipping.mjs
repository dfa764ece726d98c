// A toy shipping server on the TypeScript SDK, which stands beside our tools in a catalogue.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'shipping', version: '1.0.0' });
const described = { description: 'Price of a parcel.', inputSchema: { kg: z.number() }, outputSchema: { price: z.number() } };
server.registerTool('quote', described, async ({ kg }) => {
    const told = { price: 4 + 2 * kg };
    return { content: [{ type: 'text', text: JSON.stringify(told) }], structuredContent: told };
});
await server.connect(new StdioServerTransport());
