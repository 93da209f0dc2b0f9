// A model that says what a script tells it to, in the Anthropic Messages protocol, on loopback.
//
// A script is `{ prompt, steps }`: the first one whose `prompt` occurs in the first message of a
// conversation speaks. Each step is a tool call `{ name, input }`; the number of tool results in
// the conversation says which one is next, and behind the last one the model says "done". Every
// request body is kept for the check that reads it. The server answers a bounded number of requests
// of bounded size, and never reaches another host.

import http from "node:http";

const MAX_REQUESTS = 200;
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Starts a server for `scripts`; resolves to `{ url, requests, close }`. */
export async function startModel(scripts) {
  const requests = [];
  const server = http.createServer((request, response) => {
    answer(request, response, scripts, requests).catch((error) => {
      response.writeHead(500, { "content-type": "text/plain" }).end(String(error));
    });
  });
  server.requestTimeout = 30_000;
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The texts of the tool results that the model was sent, in order, without repetitions. */
export function toolResults(requests) {
  const results = new Map();
  for (const { messages = [] } of requests) {
    for (const block of messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))) {
      if (block.type === "tool_result") {
        const text = typeof block.content === "string" ? block.content : JSON.stringify(block.content);
        results.set(block.tool_use_id, { text, isError: block.is_error === true });
      }
    }
  }
  return [...results.values()];
}

async function answer(request, response, scripts, requests) {
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  if (requests.length >= MAX_REQUESTS) {
    response.writeHead(429).end();
    return;
  }
  const body = JSON.parse(await read(request));
  if (request.url.includes("count_tokens")) {
    json(response, { input_tokens: 10 });
    return;
  }
  requests.push(body);
  const message = reply(body, scripts, requests.length);
  if (body.stream) {
    stream(response, message);
  } else {
    json(response, message);
  }
}

async function read(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error("the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function reply(body, scripts, number) {
  const step = nextStep(body, scripts);
  const block = step
    ? { type: "tool_use", id: `toolu_${number}`, name: step.name, input: step.input }
    : { type: "text", text: "done" };
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [block],
    stop_reason: step ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function nextStep(body, scripts) {
  // Requests without tools are side requests: titles, summaries.
  if (!body.tools?.length) return undefined;
  const first = JSON.stringify(body.messages?.[0]?.content ?? "");
  const script = scripts.find(({ prompt }) => first.includes(prompt));
  return script?.steps[toolResults([body]).length];
}

function json(response, value) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function stream(response, message) {
  const [block] = message.content;
  const isTool = block.type === "tool_use";
  const event = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  event("message_start", { message: { ...message, content: [], stop_reason: null } });
  event("content_block_start", {
    index: 0,
    content_block: isTool ? { ...block, input: {} } : { type: "text", text: "" },
  });
  event("content_block_delta", {
    index: 0,
    delta: isTool
      ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
      : { type: "text_delta", text: block.text },
  });
  event("content_block_stop", { index: 0 });
  event("message_delta", {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: message.usage,
  });
  event("message_stop", {});
  response.end();
}
