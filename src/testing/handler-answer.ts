/** What a handler answered, for tests of handlers that always answer with a response. */
import { CLOSE_CONNECTION, type HandlerAnswer, NO_ANSWER, type Staged } from '../api/request-context';

type Answered<R> = HandlerAnswer<R> | Promise<HandlerAnswer<R>> | Staged<R>;

/** The response; throws for the answers that are none. */
export async function answerOf<R extends object>(answered: Answered<R>): Promise<R> {
  const settled = await answered;
  const answer = typeof settled === 'object' && 'staged' in settled ? await settled.answer.promise() : settled;
  if (answer === NO_ANSWER || answer === CLOSE_CONNECTION) throw new Error(`no response: ${answer.toString()}`);
  return answer;
}
