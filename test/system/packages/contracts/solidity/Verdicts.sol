// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {PassVerdict, PassVerdicts} from "@gatepass/contracts/PassVerdicts.sol";

// A contract that asks about many verdicts in one call.
contract VerdictAsker {
    // Returns a byte for each verdict: 0 is no, 1 is yes, 2 is a revert.
    function ask(PassVerdicts verdicts, PassVerdict[] calldata asked, bytes[] calldata signatures)
        external
        view
        returns (bytes memory answers)
    {
        answers = new bytes(asked.length);
        for (uint256 i; i < asked.length; i++) {
            try verdicts.isValid(asked[i], signatures[i]) returns (bool isValid) {
                if (isValid) answers[i] = 0x01;
            } catch {
                answers[i] = 0x02;
            }
        }
    }
}
