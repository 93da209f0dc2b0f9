// How three model protocols carry a conversation and a tool call: Anthropic Messages, OpenAI
// Responses, and Gemini. A format reads a request into turns and writes one block as the answer.
//
// A turn is `{ text }` of the person or `{ result }` of a tool. A block is `{ id, name, input }`, a
// tool call; `{ id, name, text }`, a call whose input is a text; or `{ say }`, words.

const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

const list = (value) => (Array.isArray(value) ? value : []);

function json(response, value) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Answers with server-sent events; a named event carries its name, too. */
function events(response, all, named) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const data of all) {
    response.write(`${named ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
  }
  response.end();
}

const anthropic = {
  serves: (url) => url.includes("/v1/messages"),
  side: (url) => (url.includes("count_tokens") ? { input_tokens: 10 } : undefined),
  // Requests without tools are side requests: titles, summaries.
  hasTools: (body) => list(body.tools).length > 0,
  turns: ({ messages }) =>
    list(messages)
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : list(content)))
      .map((block) =>
        block.type === "tool_result"
          ? { result: { id: block.tool_use_id, text: textOf(block.content), isError: block.is_error === true } }
          : { text: block.text ?? "" },
      ),
  answer(response, { body, block, number }) {
    const content = block.say
      ? { type: "text", text: block.say }
      : { type: "tool_use", id: block.id, name: block.name, input: block.input };
    const message = {
      id: `msg_${block.id ?? number}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content: [content],
      stop_reason: block.say ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    if (!body.stream) return json(response, message);
    const [start, delta] = block.say
      ? [{ type: "text", text: "" }, { type: "text_delta", text: block.say }]
      : [{ ...content, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
    const { stop_reason, stop_sequence } = message;
    const all = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ];
    return events(response, all, true);
  },
};

const responses = {
  serves: (url) => url.includes("/responses"),
  side: () => undefined,
  hasTools: (body) => list(body.tools).length > 0,
  turns: ({ input }) =>
    list(input).flatMap((item) => {
      if (item.type?.endsWith("_output")) {
        return [{ result: { id: item.call_id, text: textOf(item.output), isError: false } }];
      }
      return item.role === "user" ? list(item.content).map(({ text }) => ({ text: text ?? "" })) : [];
    }),
  answer(response, { block, number }) {
    const id = `item_${block.id ?? number}`;
    let item;
    if (block.say) {
      item = { type: "message", id, role: "assistant", content: [{ type: "output_text", text: block.say }] };
    } else if (block.text === undefined) {
      item = { type: "function_call", id, call_id: block.id, name: block.name, arguments: JSON.stringify(block.input) };
    } else {
      item = { type: "custom_tool_call", id, call_id: block.id, name: block.name, input: block.text };
    }
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
    const all = [
      { type: "response.created", response: { id: `resp_${number}` } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id: `resp_${number}`, usage: { ...usage, ...details } } },
    ];
    return events(response, all, true);
  },
};

const gemini = {
  serves: (url) => url.includes("enerateContent") || url.includes("countTokens"),
  side: (url) => (url.includes("countTokens") ? { totalTokens: 10 } : undefined),
  hasTools: (body) => list(body.tools).some((tool) => list(tool.functionDeclarations).length > 0),
  turns: ({ contents }) =>
    list(contents)
      .filter(({ role }) => role === "user")
      .flatMap(({ parts }) => list(parts))
      .map(({ functionResponse: result, text }) =>
        result ? { result: { id: result.id, text: textOf(result.response), isError: false } } : { text: text ?? "" },
      ),
  answer(response, { block, url }) {
    const part = block.say
      ? { text: block.say }
      : { functionCall: { id: block.id, name: block.name, args: block.input } };
    const chunk = {
      candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [part] } }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    return url.includes("stream") ? events(response, [chunk], false) : json(response, chunk);
  },
};

/** Every format that the scripted model speaks. */
export const FORMATS = [anthropic, responses, gemini];

export { json };
